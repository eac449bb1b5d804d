import { marked } from 'marked';
import type { Catalogue } from '../../catalogue.ts';
import type { Page } from '../../openapi/docs.ts';
import { escaped, textPage } from '../../openapi/text-page.ts';
import { ceilings } from './ceilings.ts';
import { FIRST_DEPLOYMENT } from './first-deployment.ts';
import { ROLLBACK } from './rollback.ts';

/** Commands are long, and are copied whole. */
const STYLE = 'pre { white-space: pre-wrap; overflow-wrap: anywhere; }\n';

const page = (title: string, intro: string, body: string): Page =>
  textPage(
    title,
    `<p><a href="../operate">For operators</a> · <a href="../docs">Reference</a></p>
<main>
<h1>${title}</h1>
${marked.parse(intro, { async: false })}
${body}
</main>`,
    STYLE,
  );

const ceilingsPage = (catalogue: Catalogue): Page =>
  page(
    'Ceilings',
    'What a deployment reaches first when it grows, with the arithmetic. The numbers come from the constants of the code and the quotas that AWS gives a new account. `npm run load -- --orgs 1000` simulates many organizations and shows which partitions they use most.',
    ceilings(catalogue)
      .map(
        (ceiling) => `<h2>${escaped(ceiling.what)}</h2>
<p><strong>${escaped(ceiling.most)}.</strong> ${escaped(ceiling.arithmetic)}</p>
<p>What customers notice: ${escaped(ceiling.noticed)}</p>
<p>What warns: ${
          'before' in ceiling
            ? escaped(ceiling.before)
            : `the metric <code>${escaped(ceiling.metric)}</code>, with the alarm <code>${escaped(ceiling.alarm)}</code>`
        }.</p>
<p>To raise it: ${escaped(ceiling.mend)}</p>
<p>Source: ${escaped(ceiling.source)}.</p>`,
      )
      .join('\n'),
  );

const rollbackPage = (): Page => page('Rollback', ROLLBACK, '');

const firstDeploymentPage = (): Page =>
  page(
    'First deployment',
    'What only a deployment can show, step by step. `<…>` stands for a value of your account, or of an earlier step.',
    `<ol>${FIRST_DEPLOYMENT.map(
      ({ what, command, expect }) => `<li><p>${escaped(what)}:</p>
<pre><code>${escaped(command)}</code></pre>
<p>Expect: ${escaped(expect)}</p></li>`,
    ).join('\n')}</ol>`,
  );

const listPage = (): Page =>
  textPage(
    'For operators',
    `<p><a href="docs">Reference</a></p>
<main>
<h1>For operators</h1>
<nav><ol>
<li><a href="operate/first-deployment">First deployment</a>: commands, and what they print where all is well</li>
<li><a href="operate/rollback">Rollback</a>: how a bad release goes back, and what becomes of data</li>
<li><a href="operate/ceilings">Ceilings</a>: what a deployment reaches first when it grows, and what raises it</li>
</ol></nav>
</main>`,
  );

/** The pages for those who operate a deployment, by path. */
export const operatorPages = (catalogue: Catalogue): Record<string, () => Page> => ({
  '/operate': listPage,
  '/operate/first-deployment': firstDeploymentPage,
  '/operate/rollback': rollbackPage,
  '/operate/ceilings': () => ceilingsPage(catalogue),
});
