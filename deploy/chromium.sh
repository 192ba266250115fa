#!/bin/sh
# The page's tests drive Debian's headless Chromium, which takes less than half of what the whole browser takes, or else
# the browser; elsewhere, or without root, they are skipped and say so.
command -v chromium-headless-shell >/dev/null 2>&1 && exit 0
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" fonts-noto-color-emoji; }
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing a headless Chromium for the page's tests …"
    {
        command -v chromium || apt-get update -qq
        install chromium-headless-shell || command -v chromium || install chromium
    } >/dev/null 2>&1 && exit 0
fi
command -v chromium >/dev/null 2>&1 && exit 0
echo "Chromium is not installed: the page's tests will be skipped (install Debian's 'chromium-headless-shell' to run them)."
