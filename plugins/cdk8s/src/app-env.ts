import { join } from "node:path";
import { pluginEnv, type RenderContext } from "@capstan/plugin-kit";
import { outputFolder } from "./read-output.ts";

/** jsii, on which cdk8s for other languages stands, runs JavaScript beside the application: in this very Node. */
export const jsiiEnv = {
  JSII_NODE: process.execPath,
  JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION: "1",
};

/** Variables of an application that runs in a copy of the repository at `root`. */
export function appEnv(context: RenderContext, root: string): Record<string, string> {
  const own = pluginEnv(context).map(({ name, value }) => [name, value] as const);
  return { ...Object.fromEntries(own), CDK8S_OUTDIR: join(root, outputFolder) };
}
