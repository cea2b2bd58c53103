// Log Z of a member and its expectations, in whichever way is exact for it.
#pragma once

#include "chain_collect.hpp"
#include "chain_logs.hpp"
#include "chain_path.hpp"

namespace weft {

// The three ways to sum: along a single path, scaled, and in logs where scaling loses mass.
class Sweep {
  public:
    explicit Sweep(const Chain &chain) : path_(chain), scaled_(chain), logs_(chain) {}

    double log_partition() {
        double value;
        if (path_.single()) return path_.score();
        return scaled_forward(scaled_, value) ? value : logs_forward(logs_);
    }

    double collect(double coefficient, const Sink &sink) {
        double value;
        if (path_.single()) {
            if ((value = path_.score()) > NEG_INF) path_.collect(coefficient, sink);
        } else if (scaled_forward(scaled_, value) && scaled_backward(scaled_)) {
            dispatch<scaled_collect>(scaled_, coefficient, sink);
        } else if ((value = logs_forward(logs_)) > NEG_INF) {
            logs_collect(logs_, value, coefficient, sink);
        }
        return value;
    }

    friend void aim(Sweep &work, const Sentence &sentence, const std::int32_t *sets) {
        for (Member *member : {&work.path_.member, &work.scaled_.member, &work.logs_.member}) {
            member->sentence = sentence;
            member->sets = sets;
        }
    }

  private:
    Path path_;
    Scaled scaled_;
    Logs logs_;
};

} // namespace weft
