type PageParts = { head?: string; nonce?: string };

/** `title` and `body` come from our own tables, never from a request. */
export function renderPage(title: string, body: string, { head = "", nonce }: PageParts = {}): string {
  const style = nonce === undefined ? "<style>" : `<style nonce="${nonce}">`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>${head}
<meta name="viewport" content="width=device-width, initial-scale=1">
${style}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}td{padding:.2rem 1rem .2rem 0}</style>
<h1>${title}</h1>${body}</html>`;
}
