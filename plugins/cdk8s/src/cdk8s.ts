import { once } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import {
  type Inputs,
  inProcessPlugin,
  joinWithin,
  type Plugin,
  pluginEnv,
  type RenderContext,
  withoutRevision,
} from "@capstan/plugin-kit";
import { appFileName, readAppFile, readPackages } from "./app-file.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Applications of cdk8s: TypeScript and JavaScript in processes that are warm, others by the command in cdk8s.yaml.
 * `operator` is the environment with npm's settings.
 */
export function cdk8s(operator: Env): Plugin {
  const load = once(async () => (await import("./generate-app.ts")).appGenerator(operator));
  return inProcessPlugin({
    name: "cdk8s",
    discover: { fileName: appFileName },
    parameters: [
      {
        name: "files",
        title: "Further files",
        tooltip: "Directories and files that the application reads, from the repository's root",
        collectionType: "array",
      },
    ],
    inputs,
    generate: async (context, stage) => (await load())(context, stage),
  });
}

async function inputs(context: RenderContext): Promise<Inputs> {
  const { path, source } = context;
  const { file, command } = await readAppFile(context);
  const whole = command.kind === "go" ? command.module : path;
  const own = command.kind === "node" ? (await readPackages(context)).directory : path;
  const names = ["package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc"];
  const packages = own === path ? [] : names.map((name) => (own === "" ? name : `${own}/${name}`));
  const further = source.plugin?.parameters?.find(({ name }) => name === "files")?.array ?? [];
  const paths = further.map((one) => {
    const inside = joinWithin("", one);
    if (inside === undefined)
      throw new CapstanError({ code: "PATH_OUTSIDE", path: one, field: "parameter files" });
    return inside;
  });
  const facts = [file, withoutRevision(pluginEnv(context))];
  return { paths: [whole, ...packages, ...paths], refs: {}, facts };
}
