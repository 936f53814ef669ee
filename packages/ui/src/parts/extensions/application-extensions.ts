import type { Application } from "@capstan/model";
import type { Extensions } from "./registry.ts";

/** What stands beside an application's own tabs: views, and tabs of the Application as an object. */
export function applicationExtensions(
  { views, resources }: Extensions,
  app: Application,
): readonly { readonly title: string; readonly isView: boolean }[] {
  return [
    ...views
      .filter(({ shouldDisplay }) => wants(shouldDisplay, app))
      .map(({ title }) => ({ title, isView: true })),
    ...resources
      .filter(({ matches }) => matches("argoproj.io", "Application"))
      .map(({ title }) => ({ title, isView: false })),
  ];
}

/** Whose own question fails is shown: it says itself what is wrong with it. */
export function wants(shouldDisplay: (app: Application) => boolean, app: Application): boolean {
  try {
    return shouldDisplay(app);
  } catch {
    return true;
  }
}

/** How a tab or a view of an extension stands in an address. */
export function extensionTab(title: string): string {
  return `extension:${title}`;
}
