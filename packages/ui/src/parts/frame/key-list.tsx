import { Dialog } from "../../primitives/dialog.tsx";
import { currentKeys } from "../keys.ts";

const apple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function keyText(keys: string): string[] {
  return keys.split(" ").map((key) => key.replace("mod+k", apple ? "⌘K" : "Ctrl K").replace("Escape", "Esc"));
}

export function KeyList({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="key-list">
        {currentKeys().map(({ keys, does }) => (
          <div key={`${keys}${does}`}>
            <dt>
              {keyText(keys).map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
