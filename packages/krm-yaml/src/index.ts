export { withoutAliases } from "./aliases.ts";
export { type EditedYaml, editYaml, type YamlPath } from "./edit-text.ts";
export { byFieldOrder } from "./field-order.ts";
export {
  ensureMapping,
  entryOf,
  fieldAt,
  hasText,
  itemsAt,
  removeField,
  rewrite,
  setField,
  setText,
  textAt,
  textsAt,
} from "./fields.ts";
export {
  copyNode,
  type Entry,
  isNull,
  isPlainText,
  type MappingNode,
  mapping,
  type ScalarNode,
  type ScalarStyle,
  type SequenceNode,
  scalar,
  sequence,
  tagOf,
  text,
  type YamlNode,
} from "./node.ts";
export { printAll, printYaml } from "./print-yaml.ts";
export { expectAgain, readYaml } from "./read-yaml.ts";
export { type SeqIndent, seqIndentOf } from "./seq-indent.ts";
export { byCodePoint, fromJson, fromValue, toJson, toValue, type YamlValue } from "./values.ts";
