import { definePlugin, isMain, number, servePlugin, string } from "@capstan/plugin-kit";

/** A custom generator in ten lines: one ConfigMap for each line of names.txt. */
const plugin = definePlugin({
  name: "names",
  discover: { fileName: "names.txt" },
  inputs: ["names.txt"],
  parameters: {
    prefix: string({ default: "" }),
    weight: number({ default: 1, tooltip: "Written into each" }),
  },
  generate: async ({ read, parameters: { prefix, weight } }) =>
    (await read("names.txt"))
      .split("\n")
      .filter((line) => line !== "")
      .map((name) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: prefix + name },
        data: { weight: String(weight) },
      })),
});

export default plugin;
if (isMain(import.meta)) await servePlugin(plugin);
