import { keptScript } from "./kept-script.ts";
import { quoteForShell } from "./quote-for-shell.ts";

/** Kustomize would have helm download from anywhere. */
const pull =
  'if [ "$1" = pull ]; then echo "charts of a kustomization come through Capstan, which brings those of helmCharts and of HelmChartInflationGenerator" >&2; exit 1; fi';

/** Names the folder that charts lie below; absent, as for commands of plugins, they may lie anywhere. */
export const chartsBelow = "CAPSTAN_CHARTS_BELOW";

/**
 * What kustomize has helm read: a configuration may say that charts lie anywhere (chartHome), and it may come from
 * wherever generators come from. Besides the repository there are kustomize's own temporary files.
 */
const inside = [
  `if [ "$1" = template ] && [ -n "$${chartsBelow}" ]; then`,
  `  root=$(cd -P -- "$${chartsBelow}" && pwd -P) && scratch=$(cd -P -- "\${TMPDIR:-/nonexistent}" && pwd -P) || exit 1`,
  '  for arg in "$@"; do',
  '    case "$arg" in /*) ;; *) continue ;; esac',
  '    if [ -d "$arg" ]; then at=$arg; else at=$(dirname -- "$arg"); fi',
  '    at=$(cd -P -- "$at" 2>/dev/null && pwd -P) || continue',
  '    case "$at/" in "$root"/*|"$scratch"/*) ;; *) echo "$arg leads out of the repository" >&2; exit 1 ;; esac',
  "  done",
  "fi",
];

/**
 * A helm that kustomize accepts. Before 5.8 it asks for the version with a flag that helm 4 has no more, and takes
 * only 3 for an answer (kustomize api/internal/builtins HelmChartInflationGenerator checkHelmVersion).
 */
export async function helmForKustomize(helm: string, folder: string): Promise<string> {
  const program = quoteForShell(helm);
  const answer = `if [ "$1" = version ]; then ${program} "$@" 2>/dev/null || echo v3.18.0; exit; fi`;
  return keptScript(folder, "helm-for-kustomize", [answer, pull, ...inside, `exec ${program} "$@"`]);
}
