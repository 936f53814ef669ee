import { Counter, type CounterConfiguration } from "prom-client";

type Labels<Name extends string> = Readonly<Record<Name, string>>;

interface OwnedCounterConfiguration<Owner extends string, Label extends string>
  extends Omit<CounterConfiguration<Owner | Label>, "collect" | "labelNames"> {
  /** Labels that say whose a row is. */
  readonly ownerNames: readonly Owner[];
  /** The other labels: most owners have the same few values of them. */
  readonly labelNames: readonly Label[];
}

interface Owned<Owner extends string, Label extends string> {
  readonly owner: Labels<Owner>;
  first: Row<Label> | undefined;
}

/** An owner has a few: each leads to the next, in a fifth of the memory of a Map. */
interface Row<Label extends string> {
  readonly values: Labels<Label>;
  count: number;
  next: Row<Label> | undefined;
}

/**
 * A counter with several rows for each of thousands of owners. prom-client keeps half a kilobyte for a row: all of its
 * labels, and once more their text. Here an owner is kept once, and so are values that several owners have.
 */
export class OwnedCounter<Owner extends string, Label extends string> extends Counter<Owner | Label> {
  readonly #ownerNames: readonly Owner[];
  readonly #labelNames: readonly Label[];
  readonly #owned = new Map<string, Owned<Owner, Label>>();
  readonly #values = new Map<string, Labels<Label>>();

  constructor({ ownerNames, labelNames, ...rest }: OwnedCounterConfiguration<Owner, Label>) {
    super({ ...rest, labelNames: [...ownerNames, ...labelNames] });
    this.#ownerNames = ownerNames;
    this.#labelNames = labelNames;
  }

  count(owner: Labels<Owner>, labels: Labels<Label>, by = 1): void {
    const owned = keptOf(this.#owned, textOf(this.#ownerNames, owner), () => ({ owner, first: undefined }));
    const values = keptOf(this.#values, textOf(this.#labelNames, labels), () => labels);
    let last: Row<Label> | undefined;
    for (const row of rowsOf(owned)) {
      last = row;
      if (row.values !== values) continue;
      row.count += by;
      return;
    }
    const added = { values, next: undefined, count: by };
    if (last) last.next = added;
    else owned.first = added;
  }

  override async get() {
    return { ...(await super.get()), values: [...this.#rows()] };
  }

  *#rows() {
    for (const owned of this.#owned.values())
      for (const { values, count: value } of rowsOf(owned))
        yield { labels: { ...owned.owner, ...values } as Record<Owner | Label, string>, value };
  }
}

function* rowsOf<Label extends string>(owned: Owned<string, Label>): Iterable<Row<Label>> {
  for (let row = owned.first; row; row = row.next) yield row;
}

function textOf<Name extends string>(names: readonly Name[], labels: Labels<Name>): string {
  return JSON.stringify(names.map((name) => labels[name]));
}

function keptOf<Value>(known: Map<string, Value>, text: string, make: () => Value): Value {
  const kept = known.get(text) ?? make();
  known.set(text, kept);
  return kept;
}
