import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { Icon, type IconName } from "./icon.tsx";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: "plain" | "primary" | "danger" | "quiet";
  icon?: IconName;
  /** Work goes on: the button keeps its size and takes no second press. */
  busy?: boolean;
  children?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ look = "plain", icon, busy = false, children, className = "", ...rest }: Props) {
  const only = children === undefined ? " icon-only" : "";
  return (
    <button
      type="button"
      className={`button ${look}${only} ${className}`}
      aria-busy={busy || undefined}
      {...rest}
      disabled={rest.disabled || busy}
    >
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}
