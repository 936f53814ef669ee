import type { ShippedPlugins } from "../../command.ts";

type Shipping = () => Promise<ShippedPlugins>;

/** What renders in this process. */
export type Rendering = Awaited<ReturnType<typeof load>>;

/**
 * Loads what renders, which takes about as long as a plugin's own program takes to start: so both are done at once.
 * Whoever waits for the plugin first may hear of a failure later.
 */
export function loadRendering(shippedPlugins: Shipping): Promise<Rendering> {
  const loading = load(shippedPlugins);
  loading.catch(() => undefined);
  return loading;
}

async function load(shippedPlugins: Shipping) {
  const { openLocalRender } = await import("./local-render.ts");
  return { openLocalRender, shipped: await shippedPlugins() };
}
