import { once } from "@capstan/flow";
import { type Inputs, inProcessPlugin, type Plugin, type RenderContext } from "@capstan/plugin-kit";
import type { KptPluginOptions } from "./generate-package.ts";
import { defaultDomain, readKptOptions, switchValues } from "./kpt-options.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Renders kpt packages: the pipelines of their Kptfiles, the functions of the catalog in process, then what
 * argocd-cmp-kpt does: annotations that tell where an object comes from, and nothing that is for functions only.
 * `env` is the operator's: KPT_IMAGE_PREFIX, ANNOTATION_DOMAIN, CAPSTAN_KPT_EXEC (programs that `exec` may name),
 * CAPSTAN_KPT_IMAGES (images that may run), KRM_FN_RUNTIME (what runs those in place of the sandbox),
 * CAPSTAN_KPT_MEMORY (what each of their processes may take).
 */
export function kpt(env: Env, options: KptPluginOptions = {}): Plugin {
  const load = once(async () => (await import("./generate-package.ts")).packageGenerator(env, options));
  return inProcessPlugin({
    name: "kpt",
    discover: { fileName: "Kptfile" },
    parameters: [
      {
        name: "annotation-domain",
        title: "Annotation domain",
        tooltip: `Objects are annotated with DOMAIN/app, rev, repo, branch and path, as argocd-cmp-kpt does; "none" leaves them out`,
        string: env.ANNOTATION_DOMAIN || defaultDomain,
      },
      {
        name: "setters",
        title: "Setters",
        tooltip:
          "Values for fields that name a setter in a comment (# kpt-set: ${name}); they win over the Kptfile's",
        collectionType: "map",
      },
      {
        name: "keep-local-config",
        title: "Keep local configuration",
        tooltip: "Also give out objects that are annotated config.kubernetes.io/local-config: true",
        string: "false",
        choices: switchValues,
      },
    ],
    inputs: async (context) => inputs(context, env),
    generate: async (context, stage) => (await load())(context, stage),
  });
}

async function inputs(context: RenderContext, env: Env): Promise<Inputs> {
  const options = readKptOptions(context, env);
  const facts = {
    path: context.path,
    setters: [...options.setters],
    annotations: [...options.annotations],
    keeps: options.keepsLocal,
  };
  return { paths: [context.path], refs: {}, facts };
}
