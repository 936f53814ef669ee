import { keptScript } from "../binaries/kept-script.ts";
import { quoteForShell } from "../binaries/quote-for-shell.ts";

/** Kustomize would have helm download from anywhere. */
const pull =
  'if [ "$1" = pull ]; then echo "charts of a kustomization come through Capstan, which brings those of helmCharts and of HelmChartInflationGenerator" >&2; exit 1; fi';

/**
 * A helm that kustomize accepts. Before 5.8 it asks for the version with a flag that helm 4 has no more, and takes
 * only 3 for an answer (kustomize api/internal/builtins HelmChartInflationGenerator checkHelmVersion).
 */
export async function helmForKustomize(helm: string, folder: string): Promise<string> {
  const program = quoteForShell(helm);
  const answer = `if [ "$1" = version ]; then ${program} "$@" 2>/dev/null || echo v3.18.0; exit; fi`;
  return keptScript(folder, "helm-for-kustomize", [answer, pull, `exec ${program} "$@"`]);
}
