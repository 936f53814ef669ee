import { pathToFileURL } from "node:url";
import {
  definePlugin,
  isMain,
  type KubernetesObject,
  PluginError,
  servePlugin,
  string,
} from "@capstan/plugin-kit";
import { App } from "cdk8s";

/**
 * Renders a cdk8s program: `main.ts` exports a function that adds charts to the app. It runs in this process, so
 * this plugin is for repositories that may run code here.
 */
const plugin = definePlugin({
  name: "cdk8s",
  discover: { fileName: "cdk8s.yaml" },
  parameters: {
    entry: string({ default: "main.ts", title: "Program", tooltip: "From the application's directory" }),
  },
  generate: async ({ directory, parameters: { entry }, path, revision }) => {
    const program: { default?: unknown } = await import(
      `${pathToFileURL(`${directory}/${entry}`).href}?${revision}`
    );
    if (typeof program.default !== "function")
      throw new PluginError("it must export a function (app: App) => void as default", {
        file: path === "" ? entry : `${path}/${entry}`,
      });
    const app = new App();
    await program.default(app);
    return app.charts.flatMap((chart): KubernetesObject[] => chart.toJson());
  },
});

export default plugin;
if (isMain(import.meta)) await servePlugin(plugin);
