// Runs before the first paint, so that the page never flashes in the other colours.
try {
  const theme = JSON.parse(localStorage.getItem("playground.theme") ?? "null");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // without a store the system's colours apply
}
