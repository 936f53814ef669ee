import type { Application, ApplicationTree } from "@capstan/model";
import { type ComponentType, useSyncExternalStore } from "react";

/** What extensions of Argo CD's page have registered (ui/src/app/shared/services/extensions-service.ts). */
export interface Extensions {
  /** Further views of objects of some kinds; of Applications, further tabs. */
  readonly resources: readonly ResourceExtension[];
  /** Pages of their own. */
  readonly pages: readonly PageExtension[];
  /** Further tabs of applications. */
  readonly views: readonly ViewExtension[];
  readonly statuses: readonly StatusExtension[];
  readonly actions: readonly ActionExtension[];
  /** All scripts have been run; some register later all the same. */
  readonly isLoaded: boolean;
}

export interface OfApplication {
  readonly application: Application;
  readonly tree: ApplicationTree;
}

export interface ResourceExtension {
  readonly title: string;
  readonly component: ComponentType<OfApplication & { resource: object }>;
  matches(group: string, kind: string): boolean;
}

export interface PageExtension {
  readonly title: string;
  readonly path: string;
  readonly component: ComponentType;
}

export interface ViewExtension {
  readonly title: string;
  readonly component: ComponentType<OfApplication>;
  shouldDisplay(app: Application): boolean;
}

interface WithFlyout {
  readonly title: string;
  readonly id: string;
  readonly flyout: ComponentType<OfApplication> | undefined;
}

export interface StatusExtension extends WithFlyout {
  readonly component: ComponentType<{ application: Application; openFlyout(): void }>;
}

export interface ActionExtension extends WithFlyout {
  readonly component: ComponentType<OfApplication & { openFlyout(): void }>;
  readonly isMiddle: boolean;
  shouldDisplay(app: Application): boolean;
}

let extensions: Extensions = {
  ...{ resources: [], pages: [], views: [], statuses: [], actions: [] },
  isLoaded: false,
};
const listeners = new Set<() => void>();

export function changeExtensions(change: (before: Extensions) => Partial<Extensions>): void {
  extensions = { ...extensions, ...change(extensions) };
  for (const tell of listeners) tell();
}

export function useExtensions(): Extensions {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => extensions,
  );
}
