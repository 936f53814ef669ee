import type { Application } from "@capstan/model";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { AppRef } from "../../paths.ts";
import { Button } from "../../primitives/button.tsx";
import { changeSearch, useSearch } from "../../url-state.ts";
import { ContainerChoice } from "../containers/container-choice.tsx";
import { useContainers } from "../containers/use-containers.ts";
import type { TreeItem } from "../tree/tree-items.ts";
import { openScreen } from "./screen.ts";
import { openTerminal, type TerminalEnd, type TerminalPlace } from "./terminal-session.ts";

interface Props {
  app: Application;
  appRef: AppRef;
  item: TreeItem;
}

type State = { readonly kind: "opening" } | { readonly kind: "open" } | TerminalEnd;

/** A shell in a container of a Pod. */
export default function TerminalView({ app, appRef, item }: Props) {
  const search = useSearch();
  const containers = useContainers(appRef, item)?.containers;
  const container = containers?.find((name) => name === search.container) ?? containers?.[0];
  if (containers !== undefined && container === undefined)
    return <p className="note">This Pod has no container.</p>;
  return (
    <div className="terminal-view">
      {container !== undefined && (
        <Shell
          key={container}
          place={{
            appName: app.metadata.name,
            appNamespace: appRef.namespace,
            projectName: app.spec.project || "default",
            namespace: item.resource.namespace ?? "",
            pod: item.resource.name,
            container,
          }}
          containers={containers ?? []}
        />
      )}
    </div>
  );
}

function Shell({ place, containers }: { place: TerminalPlace; containers: readonly string[] }) {
  const [attempt, setAttempt] = useState(0);
  const screen = useRef<HTMLDivElement>(null);
  const again = () => setAttempt((count) => count + 1);
  const state = useShell(screen, { place, attempt, again });
  return (
    <>
      <div className="tools">
        <ContainerChoice
          names={containers}
          value={place.container}
          onChange={(container) => changeSearch({ container })}
        />
        <span role="status" className={state.kind === "open" ? "dim" : undefined}>
          {words(state, place)}
        </span>
        {state.kind !== "open" && state.kind !== "opening" && <Button onClick={again}>Open again</Button>}
        <span className="dim terminal-keys">F6 leaves it, Ctrl+Shift+C copies</span>
      </div>
      <div className="terminal-screen" ref={screen} />
    </>
  );
}

interface Opening {
  readonly place: TerminalPlace;
  readonly attempt: number;
  again(): void;
}

function useShell(screen: RefObject<HTMLDivElement | null>, { place, attempt, again }: Opening): State {
  const [state, setState] = useState<State>({ kind: "opening" });
  const { pod, container, namespace, appName, appNamespace, projectName } = place;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same place in another object is the same
  useEffect(() => {
    if (!screen.current) return;
    setState({ kind: "opening" });
    let hasLeft = false;
    const shown = openScreen(screen.current, {
      label: `Shell in container ${container} of Pod ${pod}`,
      onTyped: (text) => session.type(text),
      onResized: (size) => session.resize(size),
      onLeave: () => {
        hasLeft = true;
        document.querySelector<HTMLElement>("aside.panel")?.focus();
      },
    });
    const session = openTerminal(place, {
      open: () => {
        setState({ kind: "open" });
        session.resize(shown.size);
        // Who has left it while it was being opened is elsewhere by now.
        if (!hasLeft) shown.focus();
      },
      text: (text) => shown.write(text),
      end: (end) => (end.kind === "renewed" ? again() : setState(end)),
    });
    return () => {
      session.close();
      shown[Symbol.dispose]();
    };
  }, [attempt, pod, container, namespace, appName, appNamespace, projectName]);
  return state;
}

function words(state: State, { container }: TerminalPlace): string {
  switch (state.kind) {
    case "opening":
      return `Opening a shell in ${container} …`;
    case "open":
      return `A shell in ${container}`;
    case "ended":
    case "renewed":
      return "The shell has ended.";
    case "lost":
      return "The connection was lost.";
    case "refused":
      return state.why;
  }
}
