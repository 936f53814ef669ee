/** `kustomize edit` where no kustomize is installed; `build` is kubectl's (packages/programs provided-tools). */
import { isCapstanError } from "@capstan/model";
import { EditError, editKustomizationFile } from "@capstan/plugin-kustomize/edit";

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

/** The result is the exit code. */
export async function runKustomize(argv: readonly string[]): Promise<number> {
  const [verb, ...args] = argv;
  if (verb !== "edit" || args.length === 0) {
    process.stdout.write(usage);
    return 0;
  }
  try {
    await editKustomizationFile(process.cwd(), args);
    return 0;
  } catch (error) {
    if (!(error instanceof EditError) && !isCapstanError(error)) throw error;
    process.stderr.write(`Error: ${error.message}\n`);
    return 1;
  }
}
