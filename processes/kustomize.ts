/** `kustomize edit` where no kustomize is installed; `build` is kubectl's (packages/programs provided-tools). */
import { defineCommand } from "@capstan/cli/record";
import { editKustomizationFile } from "@capstan/plugin-kustomize/edit";

const usage = `Kustomize as it comes with Capstan: build and version are those of kubectl.

Usage:
  kustomize build DIR [flags]
  kustomize edit set    annotation|buildmetadata|image|label|nameprefix|namespace|namesuffix|replicas ARG...
  kustomize edit add    annotation|buildmetadata|component|generator|label|resource|transformer ARG...
  kustomize edit remove annotation|buildmetadata|label|resource|transformer ARG...
  kustomize version

Flags of edit add and edit remove:
  -f, --force                  add annotation, label: overwrite what is there
      --without-selector       add label: to the objects alone
      --include-templates      add label: with --without-selector, to their Pods too
  -i, --ignore-non-existence   remove annotation, label: what is not there is no error
`;

export default defineCommand({
  usage: "edit ...",
  help: "Change a kustomization.",
  argument: "none",
  arity: [0, Number.POSITIVE_INFINITY],
  standsAlone: true,
  verbatim: true,
  endings: { prefix: "Error: ", usage: 1, failed: 1 },
  flags: {},
  async run({ args: [verb, ...args], io }) {
    if (verb !== "edit" || args.length === 0) io.out(usage);
    else await editKustomizationFile(process.cwd(), args);
    return 0;
  },
});
