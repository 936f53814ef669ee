import { lazyPart } from "../../primitives/lazy-part.tsx";

/** Apart from the other parts: the routes name it, so that each first load has it. */
export const ExtensionPage = lazyPart("The extension", async () => ({
  default: (await import("./extension-parts.tsx")).ExtensionPage,
}));
