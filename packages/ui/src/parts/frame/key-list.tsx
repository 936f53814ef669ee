import { Dialog } from "../../primitives/dialog.tsx";
import { currentKeys } from "../keys.ts";
import { keyText } from "./key-text.ts";

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
