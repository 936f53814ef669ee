import { useSyncExternalStore } from "react";

export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const slot = "capstan.theme";
const listeners = new Set<() => void>();
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

function chosen(): Theme {
  const stored = localStorage.getItem(slot);
  return themes.find((theme) => theme === stored) ?? "auto";
}

export function applyTheme(): void {
  const theme = chosen();
  const dark = theme === "dark" || (theme === "auto" && systemDark.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(slot, theme);
  applyTheme();
  for (const tell of listeners) tell();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, chosen);
}

systemDark.addEventListener("change", applyTheme);
