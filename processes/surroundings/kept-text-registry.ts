import { type PrometheusContentType, Registry } from "prom-client";

interface Row {
  readonly metricName?: string;
  readonly value: number;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
}

/**
 * Metrics in Prometheus' text form (its "Exposition formats", text 0.0.4). The text of labels is kept for as long as their
 * object is there, which counters keep: with thousands of applications it is most of what an answer costs.
 */
export class KeptTextRegistry extends Registry<PrometheusContentType> {
  readonly #texts = new WeakMap<object, string>();

  override async metrics(): Promise<string> {
    const texts: string[] = [];
    for (const { name } of this.getMetricsAsArray()) texts.push(await this.#metricText(name));
    return `${texts.join("\n\n")}\n`;
  }

  async #metricText(name: string): Promise<string> {
    // It may be made anew meanwhile, with other labels.
    const metric = await this.getSingleMetric(name)?.get();
    if (!metric) return "";
    const { help, type, values } = metric;
    const lines = [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`];
    const rows: readonly Row[] = values;
    for (const { metricName = name, labels, value } of rows)
      lines.push(`${metricName}${this.#labelsText(labels)} ${valueText(value)}`);
    return lines.join("\n");
  }

  #labelsText(labels: Row["labels"]): string {
    const kept = this.#texts.get(labels);
    if (kept !== undefined) return kept;
    const parts = Object.entries(labels).map(
      ([name, value]) => `${name}="${escaped(String(value)).replaceAll('"', '\\"')}"`,
    );
    const text = parts.length > 0 ? `{${parts.join(",")}}` : "";
    this.#texts.set(labels, text);
    return text;
  }
}

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");

function valueText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
