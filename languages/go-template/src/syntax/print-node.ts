import { quoteGo } from "@capstan/formats";
import type { CommandNode, Node, Operand } from "./nodes.ts";

/** A node as Go's messages show it (parse/node.go, String). */
export function printNode(node: Operand | CommandNode | Node): string {
  switch (node.kind) {
    case "bool":
      return String(node.value);
    case "dot":
      return ".";
    case "nil":
      return "nil";
    case "number":
    case "string":
    case "text":
      return node.text;
    case "identifier":
      return node.name;
    case "field":
      return fields(node.path);
    case "variable":
      return node.name + fields(node.path);
    case "chain":
      return (node.head.kind === "pipe" ? `(${printNode(node.head)})` : node.head.name) + fields(node.path);
    case "pipe": {
      const variables = node.variables.join(", ");
      const head = variables === "" ? "" : `${variables} ${node.isAssignment ? "=" : ":="} `;
      return head + node.commands.map(printNode).join(" | ");
    }
    case "command":
      return [node.first, ...node.rest]
        .map((one) => (one.kind === "pipe" ? `(${printNode(one)})` : printNode(one)))
        .join(" ");
    case "action":
      return `{{${printNode(node.pipe)}}}`;
    case "template":
      return `{{template ${quoteGo(node.name)}${node.pipe ? ` ${printNode(node.pipe)}` : ""}}}`;
    case "break":
    case "continue":
      return `{{${node.kind}}}`;
    default: {
      const otherwise = node.otherwise ? `{{else}}${printAll(node.otherwise)}` : "";
      return `{{${node.kind} ${printNode(node.pipe)}}}${printAll(node.body)}${otherwise}{{end}}`;
    }
  }
}

const fields = (path: readonly string[]): string => path.map((one) => `.${one}`).join("");

const printAll = (nodes: readonly Node[]): string => nodes.map(printNode).join("");
