import { Gauge, type Registry } from "prom-client";

/** A list with commas, as the settings of metrics are. */
export function listedIn(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly of: readonly string[];
  /** Keys of labels, as the settings name them now. */
  keys(): readonly string[];
  rows(): Iterable<{ of: Record<string, string>; labels: Readonly<Record<string, string>> }>;
}

/**
 * A metric that carries the labels of objects which the settings choose, as `label_<key>` (util/metrics NormalizeLabels).
 * Call what it gives in a collection: names of labels are fixed in a metric, so it is made anew where they changed.
 */
export function chosenLabels(
  registry: Registry,
  { name, help, of, keys: keysNow, rows }: Metric,
): () => void {
  let known = "";
  return () => {
    const keys = keysNow();
    if (known !== keys.join()) registry.removeSingleMetric(name);
    known = keys.join();
    if (keys.length === 0) return;
    const names = keys.map((key) => `label_${key.replace(/[^a-zA-Z0-9_]/g, "_")}`);
    const gauge =
      registry.getSingleMetric(name) ??
      new Gauge({ name, help, labelNames: [...of, ...names], registers: [registry] });
    if (!(gauge instanceof Gauge)) return;
    gauge.reset();
    for (const row of rows()) {
      const own = keys.map((key, index) => [names[index] ?? "", row.labels[key] ?? ""]);
      gauge.set({ ...row.of, ...Object.fromEntries(own) }, 1);
    }
  };
}
