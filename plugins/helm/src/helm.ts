import { chartInputs, renderChart } from "@capstan/charts";
import { inProcessPlugin } from "@capstan/plugin-kit";

/** `helm template` of a chart in a repository or from a Helm repository, with the options of an Argo CD source. */
export const helm = inProcessPlugin({
  name: "helm",
  sourceType: "Helm",
  inputs: chartInputs,
  generate: (context, stage) => renderChart(context, stage),
});
