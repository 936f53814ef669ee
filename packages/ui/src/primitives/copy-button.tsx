import { useState } from "react";
import { Icon } from "./icon.tsx";

export function CopyButton({ text, label }: { text: string | (() => string); label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === "string" ? text : text());
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button
      type="button"
      className="button quiet icon-only"
      title={copied ? "Copied" : label}
      aria-label={label}
      onClick={copy}
    >
      {copied ? <span className="copied">✓</span> : <Icon name="copy" size={14} />}
    </button>
  );
}
