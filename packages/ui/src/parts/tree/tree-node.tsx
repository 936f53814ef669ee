import { Glyph, StateMark } from "../../primitives/glyph.tsx";
import { Icon } from "../../primitives/icon.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { healthLook, syncLook } from "../../primitives/states.ts";
import { objectCount } from "../application-facts.ts";
import { canBeChosen } from "./choosing.tsx";
import { type DisplayNode, unwellPods, wellCount } from "./display-tree.ts";
import { PodGrid, PodNotes } from "./pod-grid.tsx";
import { infoValue, statesOf, type TreeItem } from "./tree-items.ts";

export interface NodeActions {
  /** Key of the resource whose panel is open. */
  readonly selected: string | undefined;
  /** Keys of what was picked; undefined: nothing is being picked. */
  readonly chosen?: ReadonlySet<string> | undefined;
  open(item: TreeItem): void;
  toggle(id: string): void;
}

interface Props extends NodeActions {
  node: DisplayNode;
  focusable: boolean;
}

export function TreeNode({ node, ...rest }: Props) {
  if (node.shape === "pods") return <PodsNode node={node} {...rest} />;
  if (node.shape === "bundle") return <BundleNode node={node} {...rest} />;
  return node.item ? <ResourceNode node={node} item={node.item} {...rest} /> : null;
}

/** A short fact that people look for next to the name: "2/2" of a Pod, "Rev:3" of a ReplicaSet. */
function factOf(item: TreeItem): string | undefined {
  const addresses = item.networking?.ingress?.map(({ hostname, ip }) => hostname ?? ip);
  return (
    infoValue(item, "Containers") ??
    infoValue(item, "Revision") ??
    infoValue(item, "Reason") ??
    addresses?.join(", ")
  );
}

function toneOf(item: TreeItem): string {
  const unwell = item.health !== undefined && item.health !== "Healthy";
  if (unwell) return healthLook(item.health).tone;
  return item.sync === "OutOfSync" ? "warn" : "void";
}

function ResourceNode({ node, item, focusable, selected, chosen, open, toggle }: Props & { item: TreeItem }) {
  const { kind, name } = item.resource;
  const isChosen = chosen?.has(item.key) ?? false;
  const marks = `${selected === item.key ? " selected" : ""}${isChosen ? " chosen" : ""}`;
  const fact = factOf(item);
  return (
    <div className={`node edge-${toneOf(item)}${marks}`}>
      <button
        type="button"
        className="node-main"
        tabIndex={focusable ? 0 : -1}
        onClick={() => open(item)}
        title={item.message || undefined}
        aria-pressed={chosen && canBeChosen(item) ? isChosen : undefined}
      >
        <span className="node-kind">
          {isChosen && <Glyph name="check" tone="good" />}
          {kind}
          {item.isHook && <span className="chip">hook</span>}
          {item.isOrphan && <span className="chip">orphaned</span>}
          {item.requiresPruning && <span className="chip">to prune</span>}
          {fact && <span className="node-fact">{fact}</span>}
        </span>{" "}
        <span className="node-name">
          <MiddleCut text={name} />
        </span>
        <span className="visually-hidden">{statesOf(item)}</span>
      </button>
      <span className="node-states">
        {item.sync !== undefined && <StateMark look={syncLook(item.sync)} about="Sync" />}
        {item.health !== undefined && <StateMark look={healthLook(item.health)} about="Health" />}
      </span>
      {node.open !== undefined && (
        <button
          type="button"
          className={node.open ? "fold open" : "fold"}
          tabIndex={-1}
          aria-label={node.open ? `Fold ${name}` : `Unfold ${name}, ${objectCount(node.hidden)}`}
          title={node.open ? "Fold (Space)" : `${objectCount(node.hidden)} below (Space)`}
          onClick={() => toggle(node.id)}
        >
          {node.open ? <Icon name="minus" size={10} /> : `+${node.hidden}`}
        </button>
      )}
    </div>
  );
}

function BundleNode({ node, focusable, toggle }: Props) {
  const kind = node.members[0]?.resource.kind ?? "";
  const old = kind === "ReplicaSet";
  return (
    <div className="node bundle">
      <button
        type="button"
        className="node-main"
        tabIndex={focusable ? 0 : -1}
        aria-expanded={node.open}
        onClick={() => toggle(node.id)}
        title={node.members.map(({ resource }) => resource.name).join("\n")}
      >
        <span className="node-kind">
          {kind}
          {node.members[0]?.isOrphan && <span className="chip">orphaned</span>}
        </span>{" "}
        <span className="node-name">
          {node.members.length} {old ? "of former revisions" : "alike, all well"}
        </span>
      </button>
      <span className={node.open ? "fold open" : "fold"} aria-hidden="true">
        {node.open ? <Icon name="minus" size={10} /> : `+${node.hidden}`}
      </span>
    </div>
  );
}

function PodsNode({ node, focusable, selected, open }: Props) {
  const unwell = unwellPods(node.members);
  return (
    <fieldset className={`node pods edge-${unwell[0] ? healthLook(unwell[0].health).tone : "void"}`}>
      <legend className="visually-hidden">Pods</legend>
      <span className="node-kind">
        Pods
        <span className="node-fact">{wellCount(node.members)}</span>
      </span>
      <PodGrid pods={node.members} {...{ focusable, selected, open }} />
      <PodNotes pods={node.members} open={open} />
    </fieldset>
  );
}
