/** Argo CD's page says its theme by a class, which extensions look for. */
export function followTheme(): void {
  const root = document.documentElement;
  const say = () => {
    const dark = root.dataset.theme === "dark";
    root.classList.toggle("theme-dark", dark);
    root.classList.toggle("theme-light", !dark);
  };
  say();
  new MutationObserver(say).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
}
