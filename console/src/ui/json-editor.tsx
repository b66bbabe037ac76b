import { json, jsonParseLinter } from "@codemirror/lang-json";
import { linter } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { basicSetup } from "codemirror";
import { useEffect, useRef } from "react";
import { nonce } from "./nonce.ts";

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

/** Text of JSON with its mistakes marked. Loaded when it is needed: it is half the size of everything else. */
export function JsonEditor({ label, text, onChange }: { label: string; text: string; onChange(text: string): void }) {
  const place = useRef<HTMLDivElement>(null);
  const tell = useRef(onChange);
  tell.current = onChange;
  const first = useRef(text);
  useEffect(() => {
    const view = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          EditorView.cspNonce.of(nonce),
          basicSetup,
          json(),
          linter(jsonParseLinter()),
          look,
          EditorView.contentAttributes.of({ "aria-label": label }),
          EditorView.updateListener.of((update) => update.docChanged && tell.current(update.state.doc.toString())),
        ],
      }),
    });
    return () => view.destroy();
  }, [label]);
  return <div ref={place} />;
}
