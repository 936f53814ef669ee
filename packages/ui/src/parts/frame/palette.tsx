import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { paths } from "../../paths.ts";
import { StateMark } from "../../primitives/glyph.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { healthLook } from "../../primitives/states.ts";
import { type ApplicationMap, ensureApplications, useApplications } from "../../queries/applications.ts";
import { goTo } from "../../url-state.ts";
import { useMayCreate } from "../forms/create-right.ts";
import { currentKeys } from "../keys.ts";
import { leave } from "../leave.ts";
import { tellFailure } from "../notices.tsx";
import { setTheme, themes } from "../theme.ts";
import { settingsChoices, useFoundChoices } from "./found-choices.ts";
import { keyText } from "./key-text.ts";
import { type Place, usePlaces } from "./navigation-bar.tsx";
import { type Choice, rankChoices } from "./rank-choices.ts";

interface Props {
  onClose(): void;
  onKeys(): void;
}

const shownAtMost = 60;

function applicationChoices(map: ApplicationMap | undefined): Choice[] {
  return [...(map?.values() ?? [])].map(({ name, namespace, project, health }) => ({
    id: `app:${namespace}/${name}`,
    label: name,
    detail: `${project} · ${namespace}`,
    health,
    act: () => goTo(paths.application({ namespace, name })),
  }));
}

function commandChoices(onKeys: () => void, places: readonly Place[], mayCreate: boolean): Choice[] {
  const fromKeys = currentKeys()
    .filter(({ keys }) => !["mod+k", "j", "k", "Escape", "Enter", "x"].includes(keys))
    .map(({ keys, does, act }) => ({
      id: `key:${keys}:${does}`,
      label: does,
      keys: keyText(keys),
      act: () => act(new KeyboardEvent("keydown")),
    }));
  return [
    ...fromKeys.filter(({ label }) => label !== "Show the keys"),
    ...places.map(({ label, href }) => ({
      id: `place:${href}`,
      // A name with capitals within is one: ApplicationSets.
      label: `Go to ${/^.[a-z ]+$/.test(label) ? label.toLowerCase() : label}`,
      act: () => goTo(href),
    })),
    ...settingsChoices,
    ...(mayCreate
      ? [{ id: "new", label: "Create an application", act: () => goTo(paths.newApplication()) }]
      : []),
    ...themes.map((theme) => ({
      id: `theme:${theme}`,
      label: `Theme: ${theme}`,
      act: () => setTheme(theme),
    })),
    { id: "keys", label: "Show the keys", keys: ["?"], act: onKeys },
    { id: "leave", label: "Sign out", act: () => void leave() },
  ];
}

/** What a key does comes first and keeps its key. */
function unique(choices: readonly Choice[]): Choice[] {
  const labels = new Set<string>();
  return choices.filter(({ label }) => !labels.has(label) && labels.add(label));
}

/** The list is asked for when it is not known yet. */
function useAllApplications(): ApplicationMap | undefined {
  useEffect(() => {
    const stop = new AbortController();
    ensureApplications(stop.signal).catch((failure) => {
      if (!stop.signal.aborted) tellFailure("Could not list the applications", failure);
    });
    return () => stop.abort();
  }, []);
  return useApplications();
}

export function Palette({ onClose, onKeys }: Props) {
  const listId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const map = useAllApplications();
  const mayCreate = useMayCreate();
  const found = useFoundChoices(text);
  const places = usePlaces();
  // biome-ignore lint/correctness/useExhaustiveDependencies: places are as many as there are
  const commands = useMemo(
    () => unique(commandChoices(onKeys, places, mayCreate)),
    [onKeys, places.length, mayCreate],
  );
  const choices = useMemo(
    () => rankChoices(text, commands, [...applicationChoices(map), ...found]).slice(0, shownAtMost),
    [text, commands, map, found],
  );
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    choice.act();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, choices.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Enter") choose(choices[at]);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes a dialog by itself; the click is on its backdrop
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Find or do anything"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={choices[at] ? `${listId}-${at}` : undefined}
        aria-label="Name or verb"
        placeholder="An application, an object, what to do"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Choices {...{ listId, choices, at, setAt, choose }} />
      {choices.length === 0 && <p className="note dim">Nothing is called “{text}”.</p>}
    </dialog>
  );
}

interface ChoicesProps {
  listId: string;
  choices: readonly Choice[];
  at: number;
  setAt(at: number): void;
  choose(choice: Choice): void;
}

function Choices({ listId, choices, at, setAt, choose }: ChoicesProps) {
  useEffect(() => {
    document.getElementById(`${listId}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at, listId]);
  return (
    <div role="listbox" id={listId} aria-label="Choices" className="choices">
      {choices.map((choice, place) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
        <div
          key={choice.id}
          id={`${listId}-${place}`}
          role="option"
          aria-selected={place === at}
          className="choice"
          onClick={() => choose(choice)}
          onPointerMove={() => setAt(place)}
        >
          {/^(app|object):/.test(choice.id) && <StateMark look={healthLook(choice.health)} />}
          <span className="choice-label">
            <MiddleCut text={choice.label} />
          </span>
          {choice.detail && <span className="choice-detail">{choice.detail}</span>}
          {choice.keys?.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </div>
      ))}
    </div>
  );
}
