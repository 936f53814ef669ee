import { CopyButton } from "./copy-button.tsx";

/** A command to be typed into a terminal. */
export function CommandLine({ text }: { text: string }) {
  return (
    <div className="command">
      <code>{text}</code>
      <CopyButton text={text} label="Copy the command" />
    </div>
  );
}
