import type { MessageInitShape } from "@bufbuild/protobuf";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import { RpcError } from "../rpc/rpc-error.ts";
import type { Handlers } from "../rpc/service-types.ts";
import type { PluginDescription, ServedPlugin } from "./served-plugin.ts";
import type { ServiceSettings } from "./stock-service.ts";

/** Capstan's protocol for all plugins of an address. */
export function pluginService(
  plugins: () => readonly ServedPlugin[],
  settings: ServiceSettings,
): Handlers<typeof pluginV1.PluginService> {
  return {
    async describe() {
      const found = await Promise.all(plugins().map((plugin) => plugin.describe()));
      return { plugins: found.map((one) => describeOnWire(one, settings)) };
    },
    async run() {
      throw new RpcError(12, "not yet");
    },
  };
}

function describeOnWire(
  plugin: PluginDescription,
  { limits }: ServiceSettings,
): MessageInitShape<typeof pluginV1.PluginSchema> {
  const { discovery, inputs, parameters, shapes, concurrency = 0, ...same } = plugin;
  return {
    ...same,
    shapes: [...shapes],
    parameters: [...parameters],
    ...(discovery ? { discovery } : {}),
    ...(inputs ? { inputs: { ...inputs, globs: [...(inputs.globs ?? [])] } } : {}),
    limits: {
      concurrency,
      maxTreeBytes: BigInt(limits.maxTreeBytes),
      maxTreeFiles: BigInt(limits.maxTreeFiles),
      maxOutputBytes: 0n,
    },
  };
}
