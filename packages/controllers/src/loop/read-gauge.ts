import { Gauge, type GaugeConfiguration } from "prom-client";

interface Row<Label extends string> {
  readonly labels: Partial<Record<Label, string>>;
  readonly value: number;
}

interface ReadGaugeConfiguration<Label extends string>
  extends Omit<GaugeConfiguration<Label>, "collect" | "labelNames"> {
  readonly labelNames: readonly Label[];
  /** What it is now; labels that are the same object are the same. */
  rows(): Iterable<Row<Label>>;
}

/** A gauge that holds nothing: what it says is read when it is asked for. */
export class ReadGauge<Label extends string> extends Gauge<Label> {
  readonly #rows: () => Iterable<Row<Label>>;

  constructor({ rows, ...configuration }: ReadGaugeConfiguration<Label>) {
    super(configuration);
    this.#rows = rows;
  }

  override async get() {
    return { ...(await super.get()), values: [...this.#rows()] };
  }
}
