import { healthOrder, syncOrder } from "@capstan/model";
import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Glyph } from "../../primitives/glyph.tsx";
import { healthLook, phaseLook, type StateLook, syncLook } from "../../primitives/states.ts";
import type { ListContent } from "./list-rows.ts";
import { type Facet, type ListView, toggled, writeListView } from "./list-view.ts";

const operationOrder = ["Failing"] as const;
const operationLooks: Record<string, StateLook> = {
  Failing: { glyph: "cross", word: "Sync failing", tone: "bad" },
};

interface Props {
  content: ListContent;
  view: ListView;
}

/** How many are in which state; each count is a filter. */
export function CountBand({ content, view }: Props) {
  return (
    <div className="count-band">
      <Counts title="Health" facet="health" order={healthOrder} look={healthLook} {...{ content, view }} />
      <Counts title="Sync" facet="sync" order={syncOrder} look={syncLook} {...{ content, view }} />
      <Counts
        title="Operation"
        facet="operation"
        order={operationOrder}
        look={(name) => operationLooks[name] ?? phaseLook(undefined)}
        {...{ content, view }}
      />
    </div>
  );
}

interface CountsProps extends Props {
  title: string;
  facet: Facet;
  order: readonly string[];
  look(status: string): StateLook;
}

function Counts({ title, facet, order, look, content, view }: CountsProps) {
  const counts = new Map(content.values(facet).map(({ value, count }) => [value, count]));
  return (
    <nav className="counts" aria-label={`${title}: filter by state`}>
      {order.map((status) => {
        const count = counts.get(status) ?? 0;
        const { glyph, word, tone } = look(status);
        const chosen = view.chosen[facet].includes(status);
        return (
          <Anchor
            key={status}
            href={paths.applications(writeListView(toggled(view, facet, status)))}
            replace
            className={`count tone-${tone}${count === 0 ? " none" : ""}`}
            aria-current={chosen ? "true" : undefined}
          >
            <Glyph name={glyph} tone={tone} />
            <b>{count.toLocaleString()}</b> <span>{word}</span>
          </Anchor>
        );
      })}
    </nav>
  );
}
