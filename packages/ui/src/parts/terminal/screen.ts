import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { boundedWriter } from "./bounded-writer.ts";

export interface Screen extends Disposable {
  readonly size: { readonly cols: number; readonly rows: number };
  write(text: string): void;
  focus(): void;
}

export interface ScreenEnds {
  readonly label: string;
  onTyped(text: string): void;
  onResized(size: { cols: number; rows: number }): void;
  /** F6: Tab and Escape are the shell's. */
  onLeave(): void;
}

const keptLines = 5_000;

/** A terminal in the page's colours that fills its place. */
export function openScreen(place: HTMLElement, { label, onTyped, onResized, onLeave }: ScreenEnds): Screen {
  const terminal = new Terminal({
    ...{ cursorBlink: false, fontSize: 12.5, scrollback: keptLines, theme: colours() },
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--mono"),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(place);
  terminal.textarea?.setAttribute("aria-label", label);
  terminal.attachCustomKeyEventHandler((event) => isForShell(event, terminal, onLeave));
  terminal.onData(onTyped);
  fit.fit();
  terminal.onResize(onResized);
  const sized = new ResizeObserver(() => fit.fit());
  sized.observe(place);
  const themed = new MutationObserver(() => {
    terminal.options.theme = colours();
  });
  themed.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return {
    get size() {
      return { cols: terminal.cols, rows: terminal.rows };
    },
    write: boundedWriter((text, drawn) => terminal.write(text, drawn)),
    focus: () => terminal.focus(),
    [Symbol.dispose]: () => {
      sized.disconnect();
      themed.disconnect();
      terminal.dispose();
    },
  };
}

function isForShell(event: KeyboardEvent, terminal: Terminal, onLeave: () => void): boolean {
  const isDown = event.type === "keydown";
  if (event.key === "F6") {
    event.preventDefault();
    if (isDown) onLeave();
    return false;
  }
  const copies = event.ctrlKey && event.shiftKey && event.code === "KeyC";
  if (!copies || !terminal.hasSelection()) return true;
  event.preventDefault();
  if (isDown) void navigator.clipboard.writeText(terminal.getSelection());
  return false;
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return {
    background: of("--surface"),
    foreground: of("--text"),
    cursor: of("--text"),
    cursorAccent: of("--surface"),
    selectionBackground: of("--accent-tint"),
    red: of("--bad"),
    green: of("--good"),
    yellow: of("--warn"),
    blue: of("--busy"),
    magenta: of("--held"),
  };
}
