import { parser } from "@prometheus-io/lezer-promql";

/** What a PromQL expression asks for. */
export interface Asked {
  readonly metrics: readonly string[];
  /** In matchers and in by (…). */
  readonly labels: readonly string[];
}

/** By Prometheus' own grammar; Grafana's variables stand for what they become. Throws where it does not parse. */
export function readExpression(expression: string): Asked {
  const text = expression.replaceAll("$__rate_interval", "5m");
  const [metrics, labels] = [new Set<string>(), new Set<string>()];
  parser.parse(text).iterate({
    enter({ name, from, to, type }) {
      if (type.isError) throw new Error(`${expression}: not PromQL at character ${from + 1}`);
      if (name === "Identifier") metrics.add(text.slice(from, to));
      if (name === "LabelName") labels.add(text.slice(from, to));
    },
  });
  return { metrics: [...metrics], labels: [...labels] };
}
