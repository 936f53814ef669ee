/**
 * Loads what the first command, the first `capstan up` and the first `plugin dev` would, so that `npm ci` compiles it:
 * a person who writes a plugin waits for nothing else, and twice as long without it.
 */
export async function loadFirst(): Promise<void> {
  await import("./capstan.ts");
  await import("./up/run-up.ts");
  await import("./shipped-plugins.ts");
  const { loadRpc } = await import("@capstan/render");
  await loadRpc();
  await import("@capstan/plugin-kit/server");
}
