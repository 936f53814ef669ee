import type { ComponentProps } from "react";

type Props = Omit<ComponentProps<"textarea">, "value" | "onChange" | "className"> & {
  value: string;
  isCode?: boolean;
  onChange(value: string): void;
};

/**
 * A text of any number of lines: an input would drop the ends of lines at the first change. Of a text of one line
 * Enter makes no second by accident, as in an input; Shift+Enter does.
 */
export function TextField({ value, isCode = false, onChange, ...rest }: Props) {
  return (
    <textarea
      {...rest}
      className={isCode ? "text-field mono" : "text-field"}
      rows={1}
      spellCheck={false}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && !event.shiftKey && !value.includes("\n")) event.preventDefault();
      }}
    />
  );
}
