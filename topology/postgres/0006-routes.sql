-- One row of route_state a route of the apps file, written by `topology apply`; numbers stay small because they are in
-- every row of `due` and its index, and are never given to another route.
CREATE FUNCTION delivery.add_route(provider text, environment text, app text) RETURNS smallint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    number smallint;
BEGIN
    IF NOT (add_route.provider = 'apns' AND add_route.environment IN ('production', 'sandbox')
            OR add_route.provider = 'fcm' AND add_route.environment = '')
       OR add_route.app !~ '^[a-z0-9-]{1,40}$' OR add_route.app = 'dead' THEN
        RAISE EXCEPTION 'no such route' USING ERRCODE = 'MD009',
            HINT = 'apns with production or sandbox, fcm with none; app [a-z0-9-]{1,40}, not dead';
    END IF;
    LOCK TABLE delivery.route_state IN SHARE ROW EXCLUSIVE MODE;  -- two at once would take the same number
    SELECT route INTO number FROM delivery.route_state
     WHERE provider = add_route.provider AND environment = add_route.environment AND app = add_route.app;
    IF NOT FOUND THEN
        INSERT INTO delivery.route_state (route, provider, environment, app)
        SELECT max(route) + 1, add_route.provider, add_route.environment, add_route.app FROM delivery.route_state
        RETURNING route INTO number;
    END IF;
    RETURN number;
END;
$$;

REVOKE EXECUTE ON FUNCTION delivery.add_route FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delivery.add_route TO md_operator;
GRANT SELECT ON delivery.route_state TO md_operator;
