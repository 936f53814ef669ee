import { useLayoutEffect, useRef } from "react";

export interface KeyAction {
  /** As written for people: "s", "g a", "mod+k", "?". */
  readonly keys: string;
  readonly does: string;
  readonly act: (event: KeyboardEvent) => void;
  /** Works while a field has the focus, too. */
  readonly always?: boolean;
}

const scopes: (() => readonly KeyAction[])[] = [];
/** Between the presses, however late a busy page comes to hear of them. */
const chordMs = 900;
let pending = "";
let pendingAt = 0;

/** Everything that a key does at this moment, for the page of keys and the palette: each key once, as it acts. */
export function currentKeys(): readonly KeyAction[] {
  const all = scopes.flatMap((scope) => scope());
  return all.filter(({ keys }, at) => all.findLastIndex((other) => other.keys === keys) === at);
}

/** `beneath`: of what stands around pages, which win also where they were there with it. */
export function useKeys(actions: readonly KeyAction[], { beneath = false } = {}): void {
  const latest = useRef(actions);
  latest.current = actions;
  // With the picture, not after it: a key that is pressed as soon as people see the page is not lost.
  useLayoutEffect(() => {
    const scope = () => latest.current;
    if (beneath) scopes.unshift(scope);
    else scopes.push(scope);
    return () => void scopes.splice(scopes.indexOf(scope), 1);
  }, [beneath]);
}

function nameOf(event: KeyboardEvent): string {
  // Only Shift makes a capital another key, not a caps lock.
  const key = event.key.length === 1 && !event.shiftKey ? event.key.toLowerCase() : event.key;
  return event.metaKey || event.ctrlKey ? `mod+${key}` : key;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

/** The later a scope was added, the nearer it is to what people look at: it wins. */
function find(keys: string, typing: boolean): KeyAction | undefined {
  return [...scopes]
    .reverse()
    .flatMap((scope) => scope())
    .find((action) => action.keys === keys && (!typing || action.always));
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey) return;
  const typing = isTyping(event.target);
  const key = nameOf(event);
  const chord = event.timeStamp - pendingAt < chordMs ? `${pending} ${key}` : key;
  const modal = document.querySelector("dialog[open]") !== null;
  // A link or a button that has the focus is what Enter is meant for.
  const isPressed = key === "Enter" && event.target instanceof Element && event.target.closest("a, button");
  // The second key of a chord that there is not says nothing by itself.
  const isOfChord = chord !== key && currentKeys().some(({ keys }) => keys.startsWith(`${pending} `));
  const alone = isOfChord ? undefined : find(key, typing);
  const action = isPressed ? undefined : (find(chord, typing) ?? alone);
  pending = typing ? "" : key;
  pendingAt = event.timeStamp;
  if (!action || (modal && !action.always)) return;
  pending = "";
  event.preventDefault();
  action.act(event);
}

export function listenForKeys(): () => void {
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
