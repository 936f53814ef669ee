const apple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function keyText(keys: string): string[] {
  return keys.split(" ").map((key) => key.replace("mod+k", apple ? "⌘K" : "Ctrl K").replace("Escape", "Esc"));
}
