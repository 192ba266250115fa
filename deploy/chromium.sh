#!/bin/sh
# The page's tests drive Debian's chromium; elsewhere, or without root, they are skipped and say so.
command -v chromium >/dev/null 2>&1 && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing chromium for the page's tests …"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        chromium fonts-noto-color-emoji; } >/dev/null 2>&1 && exit 0
fi
echo "chromium is not installed: the page's tests will be skipped (install Debian's 'chromium' package to run them)."
