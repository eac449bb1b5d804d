import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { filledParts } from '../../../../shared/base/i18n/fill.ts';
import { hasMoved } from '../route.ts';

interface HeadingProps {
  title: ComponentChildren;
  /** A line that says what the page is for. */
  lead?: string;
  names?: Record<string, string>;
}

/** The heading of a page, which gets the focus when another page is opened. */
export const Heading = ({ title, lead, names = {} }: HeadingProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (hasMoved()) heading.current?.focus();
  }, []);
  return (
    <>
      <h1 tabIndex={-1} ref={heading}>
        {title}
      </h1>
      {lead !== undefined && (
        <p class="lead">
          {filledParts<preact.JSX.Element>(
            lead,
            Object.fromEntries(Object.entries(names).map(([name, value]) => [name, <bdi>{value}</bdi>])),
          )}
        </p>
      )}
    </>
  );
};
