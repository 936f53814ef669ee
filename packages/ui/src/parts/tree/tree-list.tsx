import { useState } from "react";
import { Glyph, StateTag } from "../../primitives/glyph.tsx";
import { Icon } from "../../primitives/icon.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { healthLook, syncLook } from "../../primitives/states.ts";
import { canBeChosen } from "./choosing.tsx";
import { type DisplayNode, displayRank, unwellPods } from "./display-tree.ts";
import { infoValue, type TreeItem } from "./tree-items.ts";
import type { NodeActions } from "./tree-node.tsx";

interface Props extends NodeActions {
  root: DisplayNode;
}

/** The same content as the picture, worst first: for narrow screens, for listening, and to work through. */
export function TreeList({ root, ...actions }: Props) {
  return (
    <div className="tree-list">
      <Branch nodes={root.children} {...actions} />
    </div>
  );
}

function Branch({ nodes, ...actions }: NodeActions & { nodes: readonly DisplayNode[] }) {
  return (
    <ul>
      {[...nodes]
        .sort((one, other) => displayRank(one) - displayRank(other))
        .flatMap((node) => {
          if (node.shape === "pods") return [<Pods key={node.id} node={node} {...actions} />];
          if (node.shape === "bundle") return [<Bundle key={node.id} node={node} {...actions} />];
          return node.item ? [<Entry key={node.id} item={node.item} node={node} {...actions} />] : [];
        })}
    </ul>
  );
}

/** Of many Pods those that need a look, and the others on demand. */
const podsAtOnce = 6;

function Pods({ node, ...actions }: NodeActions & { node: DisplayNode }) {
  const [all, setAll] = useState(node.members.length <= podsAtOnce);
  const unwell = unwellPods(node.members);
  const others = node.members.filter((pod) => !unwell.includes(pod));
  return (
    <>
      {[...unwell, ...(all ? others : [])].map((pod) => (
        <Entry key={pod.id} item={pod} {...actions} />
      ))}
      {!all && others.length > 0 && (
        <li>
          <button type="button" className="tree-entry" onClick={() => setAll(true)}>
            <span className="node-kind">Pods</span>
            <span>{others.length} all well</span>
            <span className="fold-word">Show</span>
          </button>
        </li>
      )}
    </>
  );
}

function Bundle({ node, ...actions }: NodeActions & { node: DisplayNode }) {
  return (
    <li>
      <button
        type="button"
        className="tree-entry"
        aria-expanded={node.open}
        onClick={() => actions.toggle(node.id)}
      >
        <span className="node-kind">{node.members[0]?.resource.kind}</span>
        <span>{node.members.length} alike, all well</span>
        <span className="fold-word">{node.open ? "Fold" : "Show"}</span>
      </button>
      {node.children.length > 0 && <Branch nodes={node.children} {...actions} />}
    </li>
  );
}

interface EntryProps extends NodeActions {
  item: TreeItem;
  node?: DisplayNode;
}

function Entry({ item, node, ...actions }: EntryProps) {
  const reason = infoValue(item, "Status Reason") ?? item.message;
  const unwell = item.health !== undefined && item.health !== "Healthy";
  const isChosen = actions.chosen?.has(item.key) ?? false;
  return (
    <li>
      <div
        className={`tree-line${actions.selected === item.key ? " selected" : ""}${isChosen ? " chosen" : ""}`}
      >
        {node?.open !== undefined && (
          <button
            type="button"
            className={node.open ? "twist open" : "twist"}
            aria-label={node.open ? `Fold ${item.resource.name}` : `Unfold ${item.resource.name}`}
            aria-expanded={node.open}
            onClick={() => actions.toggle(node.id)}
          >
            <Icon name="chevron" size={12} />
          </button>
        )}
        <button
          type="button"
          className="tree-entry"
          aria-pressed={actions.chosen && canBeChosen(item) ? isChosen : undefined}
          onClick={() => actions.open(item)}
        >
          <span className="node-kind">
            {isChosen && <Glyph name="check" tone="good" />}
            {item.resource.kind}
            {item.isOrphan && <span className="chip">orphaned</span>}
          </span>
          <span className="tree-name">
            <MiddleCut text={item.resource.name} />
          </span>
          <span className="tree-states">
            {item.sync !== undefined && <StateTag look={syncLook(item.sync)} />}
            {item.health !== undefined && <StateTag look={healthLook(item.health)} />}
          </span>
          {unwell && reason && <span className="tree-reason">{reason}</span>}
        </button>
      </div>
      {node && node.children.length > 0 && <Branch nodes={node.children} {...actions} />}
    </li>
  );
}
