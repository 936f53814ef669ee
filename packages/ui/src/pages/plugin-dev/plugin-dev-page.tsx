import type { PluginDevState } from "@capstan/wire";
import { useEffect, useMemo } from "react";
import { Code, Diff } from "../../parts/code/lazy-code.tsx";
import { toYaml } from "../../parts/code/to-yaml.ts";
import { spanText } from "../../primitives/durations.ts";
import { Glyph } from "../../primitives/glyph.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { objectChanges, stageChanges, stageObjects } from "../application/stage-changes.ts";
import { StageDetails } from "../application/stage-details.tsx";
import { TimeBar } from "../application/time-bar.tsx";
import { useDevState } from "./use-dev-state.ts";

/** What `capstan plugin dev` prints, for reading beside an editor. */
export function PluginDevPage() {
  const { state, recent, isLost } = useDevState();
  useEffect(() => {
    if (state) document.title = `${state.problem ? "✕" : "✓"} ${state.plugin} · Capstan`;
  }, [state]);
  if (!state)
    return <main className="plugin-dev">{isLost ? <Lost /> : <SkeletonRows rows={6} height={40} />}</main>;
  return (
    <main className={isLost ? "plugin-dev old" : "plugin-dev"}>
      <Heading state={state} />
      {isLost && <Lost />}
      <Result state={state} />
      {state.stderr !== "" && <Stderr text={state.stderr} />}
      <Changes state={state} />
      {recent.length > 1 && <Recent recent={recent} />}
      <Whole state={state} />
    </main>
  );
}

function Lost() {
  return (
    <p className="banner" role="alert">
      The command does not answer: start <code>capstan plugin dev … --web</code> again, and this page comes
      back if it has the same port (<code>--web-port</code>).
    </p>
  );
}

function Heading({ state: { plugin, application, path, watched, attached } }: { state: PluginDevState }) {
  return (
    <header>
      <h1>{plugin}</h1>
      <p className="dim">
        renders <strong>{path === "." ? application : `${application}, ${path}`}</strong> · watching{" "}
        {watched.map((folder, index) => (
          <span key={folder}>
            {index > 0 && " and "}
            <code>{folder}</code>
          </span>
        ))}
        {attached && (
          <>
            {" "}
            · attached as Service <code>{attached}</code>
          </>
        )}
      </p>
    </header>
  );
}

function Result({ state }: { state: PluginDevState }) {
  const { because, ms, problem, render } = state;
  if (problem !== undefined)
    return <Problem title={`${because}: it does not render`} failure={new Error(problem)} />;
  return (
    <section aria-label="Result" aria-live="polite">
      <p className="dev-result">
        <Glyph name="check" tone="good" /> <strong>{because}</strong> {countsOf(state)}
        <span className="dim"> · from the save to here {spanText(ms)}</span>
      </p>
      {render && <TimeBar source={render} />}
    </section>
  );
}

function countsOf({ before, render }: PluginDevState): string {
  const after = render?.stages.at(-1)?.manifests ?? [];
  const changes = objectChanges(stageObjects(before), stageObjects(after));
  const count = (isOne: (one: (typeof changes)[number]) => boolean) => changes.filter(isOne).length;
  const words = [
    [count(({ before: left }) => left === ""), "added"],
    [count(({ before: left, after: right }) => left !== "" && right !== ""), "changed"],
    [count(({ after: right }) => right === ""), "removed"],
  ] as const;
  const told = words.flatMap(([number, word]) => (number > 0 ? [`${number} ${word}`] : []));
  return `${told.join(", ") || "nothing changed"} · ${after.length === 1 ? "1 manifest" : `${after.length} manifests`}`;
}

function Stderr({ text }: { text: string }) {
  return (
    <section className="dev-stderr" aria-label="Standard error">
      <h2>Standard error</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}

/** Against the render before, object by object. */
function Changes({ state: { before, render, problem } }: { state: PluginDevState }) {
  const changes = useMemo(
    () => objectChanges(stageObjects(before), stageObjects(render?.stages.at(-1)?.manifests ?? [])),
    [before, render],
  );
  if (problem !== undefined || changes.length === 0) return null;
  return (
    <section className="stage-details" aria-label="What the save changed">
      <h2>What the save changed</h2>
      {changes.map(({ key, title, before: left, after: right }) => (
        <section className="diff-box" key={key}>
          <h3>
            {title}{" "}
            <span className="dim">{left === "" ? "added" : right === "" ? "removed" : "changed"}</span>
          </h3>
          <Diff before={left} after={right} label={title} sideBySide={false} />
        </section>
      ))}
    </section>
  );
}

function Recent({ recent }: { recent: readonly PluginDevState[] }) {
  return (
    <details>
      <summary>Renders before</summary>
      <ol className="dev-recent">
        {recent.slice(1).map((one) => (
          <li key={one.at}>
            <Glyph name={one.problem ? "cross" : "check"} tone={one.problem ? "bad" : "good"} />{" "}
            {new Date(one.at).toLocaleTimeString()} <strong>{one.because}</strong>{" "}
            {one.problem ?? countsOf(one)} <span className="dim">{spanText(one.ms)}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** The stages with their parameters, and all manifests. */
function Whole({ state: { render, problem } }: { state: PluginDevState }) {
  if (!render) return null;
  const stages = stageChanges(render.stages);
  const manifests = render.stages.at(-1)?.manifests ?? [];
  const text = manifests.map((one) => `---\n${toYaml(JSON.parse(one))}`).join("");
  return (
    <>
      {stages.length > 1 && (
        <details>
          <summary>{stages.length} stages</summary>
          {stages.map((one) => (
            <StageDetails key={one.stage.name} changes={one} />
          ))}
        </details>
      )}
      <details open={problem === undefined}>
        <summary>
          {manifests.length === 1 ? "1 manifest" : `${manifests.length} manifests`}
          {problem === undefined ? "" : " of the last render that went well"}
        </summary>
        <Code text={text} label="All manifests" />
      </details>
    </>
  );
}
