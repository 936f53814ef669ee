import { chartInputs, renderChart } from "@capstan/charts";
import type { HelmSource, PluginParameter } from "@capstan/model";
import { inProcessPlugin } from "@capstan/plugin-kit";
import { readChartValues } from "./chart-values.ts";

/** `helm template` of a chart in a repository or from a Helm repository, with the options of an Argo CD source. */
export const helm = inProcessPlugin({
  name: "helm",
  tool: {
    section: "helm",
    type: "Helm",
    // A suffix is enough for a chart, as in Argo CD (util/app/discovery).
    isSign: (fileName) => fileName.endsWith("Chart.yaml"),
    withParameters,
  },
  inputs: chartInputs,
  announce: async (context) => {
    const { parameters } = await readChartValues(context);
    return parameters.map(({ name, value }) => ({ name, string: value }));
  },
  describe: async (context) => ({ helm: await readChartValues(context) }),
  generate: (context, stage) => renderChart(context, stage),
});

/** A map is nested values, an array a list, as `helm --set` writes them. */
function withParameters(section: HelmSource, parameters: readonly PluginParameter[]): HelmSource {
  if (parameters.length === 0) return section;
  const added = parameters.flatMap(({ name = "", string, array, map }) => [
    ...(string === undefined ? [] : [{ name, value: string }]),
    ...(array === undefined ? [] : [{ name, value: `{${array.join(",")}}` }]),
    ...Object.entries(map ?? {}).map(([key, value]) => ({ name: `${name}.${key}`, value })),
  ]);
  return { ...section, parameters: [...(section.parameters ?? []), ...added] };
}
