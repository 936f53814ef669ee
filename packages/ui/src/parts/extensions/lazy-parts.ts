import { lazyPart } from "../../primitives/lazy-part.tsx";

/** Of a page that has extensions; one without never loads them. */
const load = () => import("./extension-parts.tsx");
const none = { rows: 0 };

export const StatusExtensions = lazyPart(
  "What extensions show",
  async () => ({ default: (await load()).StatusExtensions }),
  none,
);
export const ActionExtensions = lazyPart(
  "What extensions do",
  async () => ({ default: (await load()).ActionExtensions }),
  none,
);
export const ExtensionFlyout = lazyPart(
  "The extension",
  async () => ({ default: (await load()).ExtensionFlyout }),
  none,
);
export const ApplicationExtension = lazyPart("The extension", async () => ({
  default: (await load()).ApplicationExtension,
}));
export const ResourceExtensionView = lazyPart("The extension", async () => ({
  default: (await load()).ResourceExtensionView,
}));
