import { json, jsonParseLinter } from "@codemirror/lang-json";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { linter } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { basicSetup } from "codemirror";
import { useEffect, useRef } from "react";
import { nonce } from "./nonce.ts";
import { useLatest } from "./use-latest.ts";

const look = EditorView.theme({
  "&": {
    fontSize: "12px",
    backgroundColor: "var(--bg)",
    color: "var(--text)",
    border: "1px solid var(--line-strong)",
    borderRadius: "6px",
  },
  ".cm-content": { fontFamily: "var(--font-mono)", caretColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--skip-soft)" },
  "&.cm-focused": { outline: "2px solid var(--focus)" },
});

/** Theme colors, for light and dark. */
const colours = HighlightStyle.define([
  { tag: tags.string, color: "var(--ok)" },
  { tag: tags.number, color: "var(--accent-text)" },
  { tag: [tags.bool, tags.null], color: "var(--warn)" },
  { tag: tags.propertyName, color: "var(--muted)" },
]);

/** JSON editor with error markers. Loaded on demand: it is half the size of everything else. */
export function JsonEditor({ label, text, onChange }: { label: string; text: string; onChange(text: string): void }) {
  const container = useRef<HTMLDivElement>(null);
  const tell = useLatest(onChange);
  const first = useRef(text);
  useEffect(() => {
    const view = new EditorView({
      parent: container.current!,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          EditorView.cspNonce.of(nonce),
          basicSetup,
          json(),
          syntaxHighlighting(colours),
          linter(jsonParseLinter()),
          look,
          EditorView.contentAttributes.of({ "aria-label": label }),
          EditorView.updateListener.of((update) => update.docChanged && tell.current(update.state.doc.toString())),
        ],
      }),
    });
    return () => view.destroy();
  }, [label, tell]);
  return <div ref={container} />;
}
