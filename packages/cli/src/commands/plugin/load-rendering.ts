import type { ShippedPlugins } from "../../command.ts";

type Shipping = () => Promise<ShippedPlugins>;

/** What renders in this process. */
export type Rendering = Awaited<ReturnType<typeof load>>;

/**
 * Loads what renders, which takes about as long as a plugin's own program takes to start: so both are done at once.
 * Whoever waits for the plugin first may hear of a failure later. `ofProgram`: a plugin has a program of its own, and
 * what calls it is loaded as well.
 */
export function loadRendering(
  shippedPlugins: Shipping,
  { ofProgram = true }: { ofProgram?: boolean } = {},
): Promise<Rendering> {
  const loading = load(shippedPlugins, ofProgram);
  loading.catch(() => undefined);
  return loading;
}

async function load(shippedPlugins: Shipping, ofProgram: boolean) {
  const { loadCalls, openLocalRender } = await import("./local-render.ts");
  if (ofProgram) await loadCalls();
  return { openLocalRender, shipped: await shippedPlugins() };
}
