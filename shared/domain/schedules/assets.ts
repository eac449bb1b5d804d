/** What says whether a schedule inspects assets rather than locations. */
interface Inspecting {
  asset_ids: readonly string[];
  places: { asset_kind_id?: string } | null;
}

/** Whether a schedule inspects assets: those that it names, or those of a kind at its places. */
export const inspectsAssets = ({ asset_ids, places }: Inspecting): boolean =>
  asset_ids.length > 0 || places?.asset_kind_id !== undefined;

/** The place of an inspection for its schedule: the id of its asset or location, whichever is inspected; null for none. */
export const visitedPlace = ({
  visits_asset,
  asset_id,
  location_id,
}: {
  visits_asset?: true;
  asset_id: string | null;
  location_id: string | null;
}): string | null => (visits_asset ? asset_id : location_id);
