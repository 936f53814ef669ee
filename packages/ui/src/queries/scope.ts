import type { AppRef } from "../paths.ts";
import type { ResourceId } from "../resource-id.ts";

/** An application as requests name it. */
export const scopeOf = ({ namespace, name }: AppRef) => ({ name, appNamespace: namespace });

/** One of its objects. */
export const resourceIn = (app: AppRef, { name, namespace, version, group, kind }: ResourceId) => ({
  ...scopeOf(app),
  ...{ resourceName: name, namespace, version, group, kind },
});
