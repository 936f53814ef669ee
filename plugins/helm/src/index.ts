export { type ChartValues, readChartValues } from "./chart-values.ts";
export { helm } from "./helm.ts";
