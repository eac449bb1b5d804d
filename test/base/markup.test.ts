import { Markup, html } from '../../shared/base/markup.ts';

describe('html', () => {
  it('escapes inserted text once', () => {
    const text = `<b a="1" c='2'>&`;
    expect(html`<p title="${text}">${[html`<i>${text}</i>`, 1, false, null, undefined]}</p>`.text).toBe(
      '<p title="&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;"><i>&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;</i>1</p>',
    );
    expect(html`${new Markup('<br />')}`.text).toBe('<br />');
  });

  it('replaces characters that a page may not contain', () => {
    expect(html`${'a\u0000b\u001bc\u0085d\ud800e\tf\r\ng'}`.text).toBe('a\ufffdb\ufffdc\ufffdd\ufffde\tf\ng');
  });

  it('ends lines in one way', () => {
    expect(html`${'a\r\nb\rc\nd'}`.text).toBe('a\nb\nc\nd');
  });

  it('joins the lines of a text by one space, and keeps its words apart', () => {
    // By another name, so that the formatter leaves the lines as they are.
    const written = html;
    expect(
      written`
        <p>
          one
          ${'two'}

          three <b>four</b>
        </p>
      `.text,
    ).toBe('<p>one two three <b>four</b></p>');
  });

  it('removes the indentation of the template', () => {
    expect(
      html`
        <p>
          ${'a'}
          <b>b c</b>
        </p>
      `.text,
    ).toBe('<p>a<b>b c</b></p>');
  });
});
